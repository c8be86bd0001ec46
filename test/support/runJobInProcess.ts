// Runs one job until it is killed: node runJobInProcess.ts <host> <root> <journal> image|video [videoStatusPath]
import { imageJob, jobRunnerAt, videoJob } from './jobRunner.ts';

const [host = '', root = '', journal = '', kind, videoStatusPath = ''] = process.argv.slice(2);
const { runner } = jobRunnerAt(host, { root, journal, videoStatusPath });
const job = kind === 'video' ? videoJob(root) : imageJob(root);
const nothing = () => undefined;
await runner.run(job, { signal: new AbortController().signal, onProgress: nothing, onNotice: nothing });
