import { decodeHTMLStrict } from './entities.ts';

/** Decodes the character references of HTML; what only looks like one is left unchanged. */
export function withoutEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|[a-z][a-z\d]{1,31});/gi, (whole, decimal, hexadecimal) => {
    if (decimal === undefined && hexadecimal === undefined) return decodeHTMLStrict(whole);
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal);
    const isHalf = code >= 0xd800 && code < 0xe000;
    return code > 0 && code <= 0x10ffff && !isHalf ? String.fromCodePoint(code) : whole;
  });
}
