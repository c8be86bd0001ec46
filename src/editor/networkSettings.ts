import type { NetworkSettings } from '../service/proxyFor.ts';

/** Environment variables, in any case. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the network settings by the editor's rules: one proxy for all addresses; the editor's own settings take
 * precedence over the environment variables, and its list of exceptions replaces theirs.
 *
 * @param setting reads a setting below `http.`
 */
export function networkSettings(setting: (name: string) => unknown, environment: Environment): NetworkSettings {
  const isOff = setting('proxySupport') === 'off';
  const variable = (name: string) => variableOf(environment, name);
  const proxy = textOf(setting('proxy')) || variable('https_proxy') || variable('http_proxy');
  const noProxy = listOf(setting('noProxy'));
  return {
    proxy: isOff ? undefined : proxy || undefined,
    noProxy:
      noProxy.length > 0
        ? noProxy
        : variable('no_proxy')
            .split(/[\s,]+/)
            .filter(Boolean),
    proxyAuthorization: textOf(setting('proxyAuthorization')) || undefined,
    proxyStrictSSL: setting('proxyStrictSSL') !== false,
    systemCertificates: setting('systemCertificates') !== false,
  };
}

/** Where a variable is set in several cases, lower case wins, as in curl. */
function variableOf(environment: Environment, name: string): string {
  const names = [name, ...Object.keys(environment).filter((other) => other.toLowerCase() === name)];
  return names.map((one) => environment[one]?.trim()).find(Boolean) ?? '';
}

/** Returns a setting that is a string, trimmed; an empty string for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(textOf).filter(Boolean) : [];
}
