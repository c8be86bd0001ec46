import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

const all = ['service/*'];

/** Mutants of `src/service`. */
export const serviceMutants: readonly Mutant[] = [
  ...mutantsOf(
    'src/service/send.ts',
    ['service/resuming', 'service/resultAddresses', 'service/MediaClient', 'work/fetchResult'],
    [
      ['a 200 to a Range request counts as resumed', 'statusCode === 206 ? startOf(response) : 0', 'from ?? 0'],
      [
        'the key goes to another origin',
        'authorization: url.origin === own ? authorization : undefined',
        'authorization',
      ],
      ['a truncated result counts as complete', 'if (total !== undefined && bytes < total) throw', 'if (false) throw'],
      [
        'a redirect may leave http',
        "if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;",
        'if (url) return url;',
      ],
      ['a public service may point to a private address', 'isPrivate(call.source)', 'true'],
      ['a service is not known to be private later', '? { ...call.source, isPrivate: true } :', '? call.source :'],
    ],
  ),
  ...mutantsOf(
    'src/service/send.ts',
    ['service/answerSource'],
    [['a status is followed to another origin', 'URL.parse(location, from.href)?.origin === originOf(source)', 'true']],
  ),
  ...mutantsOf(
    'src/service/policies.ts',
    ['service/MediaClient', 'service/listModels'],
    [
      ['a paid request follows redirects', "redirects: 'none',\n    // Larger", "redirects: 'any',\n    // Larger"],
      ['a paid request is sent ten times', 'retries: 4', 'retries: 9'],
      [
        'a list of models may be billed',
        'if (!error.mayBeBilled) return error;\n  const { kind',
        'if (error) return error;\n  const { kind',
      ],
    ],
  ),
  ...mutantsOf('src/service/send.ts', all, [
    ['any 5xx with Retry-After is retried', 'error.status === 503 ||', '(error.status ?? 0) >= 500 ||'],
    ['a conflict is retried without a key', ' && hasKey', ''],
    ['a 503 without Retry-After is retried', ' && error.retryAfter !== undefined', ''],
    ['the maximum delay is 600 s', 'const maxDelaySeconds = 60;', 'const maxDelaySeconds = 600;'],
    ['a request that may have arrived is sent again', 'neverArrived(error) ? delay / 2 : undefined', 'delay / 2'],
    ['delays do not grow', '2 ** retry', '1'],
  ]),
  ...mutantsOf(
    'src/service/errors.ts',
    ['service/errorFromFailure'],
    [
      ...['ETIMEDOUT', 'EPIPE', 'ECONNRESET'].map(
        (code) => [`${code} is taken as “never arrived”`, "['ENOTFOUND', ", `['${code}', 'ENOTFOUND', `] as const,
      ),
      ['a failed connection may be billed', ' || neverConnected(failure)', ''],
    ],
  ),
  ...mutantsOf('src/service/errors.ts', all, [
    ['query strings are kept', "'$1?[redacted]'", "'$&'"],
    ['user names are kept', "'$1[redacted]@'", "'$&'"],
    ['text that looks like a key is kept', "'$1[redacted]')", "'$&')"],
    ['data is kept', "'[data]'", "'$&'"],
    ['secrets are kept', 'secret.length > maxKeyLength ? secret : anyFormOf(secret)', '/^(?!)/g'],
    ['encoded secrets are kept', 'secret.length > maxKeyLength ? secret : anyFormOf(secret)', 'secret'],
    ['the key counts as a field', 'without(named) === named ? named', 'true ? named'],
  ]),
  ...mutantsOf('src/service/ServiceConfiguration.ts', all, [
    [
      'a name that starts with localhost counts as loopback',
      "hostname === 'localhost'",
      "hostname.startsWith('localhost')",
    ],
    ['a name that starts with 127. counts as loopback', '/^127(\\.\\d+){3}$/', '/^127\\./'],
  ]),
  ...mutantsOf(
    'src/foreign/privateAddress.ts',
    ['foreign/privateAddress', ...all],
    [
      [
        'one public address of a name makes it public',
        'textsOf(address).some(isPrivateAddress)',
        'textsOf(address).every(isPrivateAddress)',
      ],
      ['names are not resolved', 'textsOf(address).some(isPrivateAddress)', 'false'],
      [
        'one private address makes a service private',
        'addresses.every(isPrivateAddress)',
        'addresses.some(isPrivateAddress)',
      ],
      ['a public service becomes private later', 'noted.get(hostname) !== false && ', ''],
    ],
  ),
  ...mutantsOf('src/service/ServiceConfiguration.ts', all, [
    ['the id in a status address is not encoded', 'encodeURIComponent(jobId)', 'jobId'],
    [
      'the key travels unencrypted',
      "(url.protocol === 'http:' && isLoopback(url.hostname))",
      "url.protocol === 'http:'",
    ],
  ]),
  ...mutantsOf(
    'src/service/createDispatcher.ts',
    ['service/proxyFor'],
    [['loopback hosts are reached through the proxy', ' || isLoopback(url.hostname)', '']],
  ),
  ...mutantsOf(
    'src/service/createDispatcher.ts',
    ['service/connecting'],
    [
      [
        'a connection stays open after its request',
        'void client.close().finally(() => this.#clients.delete(client));',
        '',
      ],
    ],
  ),
  ...mutantsOf('src/service/ServiceConfiguration.ts', all, [
    ['a key with characters invalid in a header is sent', '!/^[\\x21-\\x7e]+$/.test(key)', 'false'],
  ]),
];
