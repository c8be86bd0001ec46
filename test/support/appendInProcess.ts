// Waits for input, then appends lines: node appendInProcess.ts <folder> <file> <writer> <lines> <bytes per line>
import { once } from 'node:events';
import { LocalFolder } from '../../src/files/LocalFolder.ts';

const [path = '', name = '', writer = '', lines = '', bytes = ''] = process.argv.slice(2);
const folder = new LocalFolder(path, path);
process.stdout.write('ready\n');
await once(process.stdin, 'data');
for (let number = 0; number < Number(lines); number++) {
  await folder.append(name, `${JSON.stringify({ writer, number, text: writer.repeat(Number(bytes)) })}\n`);
}
process.stdin.unref();
