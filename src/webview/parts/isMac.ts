export const isMac = /^Mac/.test(navigator.platform);

/** Whether a key is the one named Delete, which on a Mac is also Backspace. */
export function isDelete({ key }: KeyboardEvent): boolean {
  return key === 'Delete' || (isMac && key === 'Backspace');
}
