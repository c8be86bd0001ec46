// Transcribes a recording in parts until it is killed: node transcribeInProcess.ts '<TranscribeOptions as JSON>'
import { transcribeAt } from './transcribeAt.ts';

await transcribeAt(JSON.parse(process.argv[2] ?? '{}') as Parameters<typeof transcribeAt>[0]);
