// A file of its own, which the build shares: the table of names is larger than what reads it.
export { decodeHTMLStrict } from 'entities/decode';
