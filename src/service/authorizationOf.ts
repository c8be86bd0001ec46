/** The `Authorization` header: the key, after the word that the service wants before it. */
export function authorizationOf(scheme: string | undefined, key: string): string {
  const word = scheme?.trim();
  return word ? `${word} ${key}` : key;
}
