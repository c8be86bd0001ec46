import { readFileSync } from 'node:fs';

const read = (name: string) => readFileSync(`${import.meta.dirname}/certificates/${name}.pem`, 'utf8');

/** The private authority that signed {@link serverCertificate}; no system trusts it by default. */
export const authority = read('authority');
/** Certificate and key for media.test and 127.0.0.1. */
export const serverCertificate = { cert: read('server'), key: read('server-key') };
