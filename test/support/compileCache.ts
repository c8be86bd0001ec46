// Required by mocha: this process and those that the tests start keep their compiled code on disk. A process that loads
// many files then takes half the processor time.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/compile');
enableCompileCache(process.env.NODE_COMPILE_CACHE);
