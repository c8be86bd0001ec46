import { checkScheme } from './ServiceConfiguration.ts';

/**
 * The `Authorization` header: the key, after the word that the service wants before it.
 *
 * @throws MediaError `noService` when the word cannot be sent
 */
export function authorizationOf(scheme: string | undefined, key: string): string {
  const word = scheme?.trim();
  checkScheme(word);
  return word ? `${word} ${key}` : key;
}
