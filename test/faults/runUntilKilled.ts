// Runs one job until it is killed: node runUntilKilled.ts <host> <root> <journal> <recording> <operation>
import type { OperationId } from '../../src/operations/operations.ts';
import { faultJob, faultRunner } from './faultJob.ts';

const [host = '', root = '', journal = '', recording = '', operation = ''] = process.argv.slice(2);
const folders = { root, journal, recording };
const { runner } = faultRunner({ ...folders, host });
const nothing = () => undefined;
const options = { signal: new AbortController().signal, onProgress: nothing, onNotice: nothing };
await runner.run(faultJob(operation as OperationId, folders), options);
