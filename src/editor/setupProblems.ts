import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import type { Area } from '../operations/operations.ts';
import { failureCode } from '../service/errorFromFailure.ts';
import type { HostFault } from '../service/ServiceConfiguration.ts';
import { hostFault } from '../service/ServiceConfiguration.ts';

/** A reason why a service cannot be connected, and the step that fixes it. */
export interface SetupProblem {
  readonly step: 'address' | 'scheme' | 'key';
  /** The area of the host, where there are several hosts. */
  readonly area?: Area;
  readonly reason: 'address' | 'key' | 'proxy' | 'certificate';
  /** What happened and what to do. */
  readonly sentence: string;
  /** The word before the key that the service accepts. */
  readonly suggestion?: string;
}

/** Returns what is wrong with an address as typed, as a sentence; undefined when it can be used. */
export function addressProblem(address: string): string | undefined {
  const typed = address.trim();
  if (typed === '') return l10n.t('Enter the address, such as https://api.example.com.');
  const fault = hostFault(URL.parse(typed));
  return fault === undefined ? undefined : describeFault(fault, typed);
}

function describeFault(fault: HostFault, typed: string): string {
  switch (fault) {
    case 'notUrl':
      return l10n.t('“{0}” is not a web address. It must look like https://api.example.com.', typed);
    case 'credentials':
      return l10n.t('Remove the user name and password from the address. You enter the key later.');
    case 'query':
      return l10n.t(
        'Remove the “?” or “#” and everything after it. Only the host, and its path if it has one, is needed.',
      );
    case 'notEncrypted':
      return l10n.t(
        'The address must begin with https://, so that the key is sent encrypted. Only the address of a service on this computer may begin with http://.',
      );
  }
}

/** Returns what is wrong with a word before the key, as a sentence. */
export function schemeProblem(scheme: string): string | undefined {
  if (/^[\x21-\x7e]*$/.test(scheme.trim())) return undefined;
  return l10n.t('Enter one word of ASCII characters, such as Bearer.');
}

/**
 * Explains a failed test to a person; undefined when the host responded and merely has no list of models.
 *
 * @param host the host that was asked
 * @throws errors other than MediaError, and MediaError `cancelled`
 */
export function problemOf(error: unknown, host: string): SetupProblem | undefined {
  if (!(error instanceof MediaError) || error.kind === 'cancelled') throw error;
  const { kind, message } = error;
  switch (kind) {
    case 'unauthorized':
      return {
        step: 'key',
        reason: 'key',
        sentence: withAdvice(host, message, l10n.t('Paste the key again, without anything before or after it.')),
      };
    case 'forbidden':
      return {
        step: 'key',
        reason: 'key',
        sentence: withAdvice(
          host,
          message,
          l10n.t('Use another key, or continue if this one is allowed to generate media but not to list models.'),
        ),
      };
    case 'noKey':
      return { step: 'key', reason: 'key', sentence: message };
    case 'proxy':
      return { step: 'address', reason: 'proxy', sentence: message };
    case 'tls': {
      const isProtocol = /^(EPROTO|ERR_SSL_)/.test(failureCode(error.cause));
      if (!isProtocol) return { step: 'address', reason: 'certificate', sentence: message };
      return { step: 'address', reason: 'address', sentence: `${message} ${adviceOn(error)}` };
    }
    case 'network':
    case 'timeout':
      return { step: 'address', reason: 'address', sentence: `${message} ${adviceOn(error)}` };
    case 'noService':
      return { step: 'address', reason: 'address', sentence: message };
    default:
      return undefined;
  }
}

function withAdvice(host: string, message: string, advice: string): string {
  return `${host}: ${message} ${advice}`;
}

/** Suggests what to do about a host that cannot be reached. */
function adviceOn({ kind, cause }: MediaError): string {
  const code = failureCode(cause);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return l10n.t('Check the address for typos, and check that this computer is online.');
  }
  if (code === 'ECONNREFUSED') return l10n.t('Check the address and its port, and check that the service is running.');
  if (kind === 'timeout' || code === 'UND_ERR_CONNECT_TIMEOUT') {
    return l10n.t('Check the address, and check whether a VPN or a proxy is needed to reach it.');
  }
  return l10n.t('Check the address and its port.');
}
