// A file of its own, so that it is loaded only where bytes are looked at.
export { fileTypeFromBuffer } from 'file-type/core';
