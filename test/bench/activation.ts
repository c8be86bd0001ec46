// Prints how many milliseconds VS Code needs to load and activate an extension: activation.ts <extension id>
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../host/versions.mjs';

const [id = ''] = process.argv.slice(2);
const output = execFileSync(process.execPath, [join(root, 'test/host/integration.ts'), 'activation'], {
  encoding: 'utf8',
});
const line = output.split('\n').find((text) => text.includes(`${id}: `));
const milliseconds = /: (\d+) ms/.exec(line ?? '')?.[1];
if (milliseconds === undefined) throw new Error(`VS Code reports nothing about ${id}:\n${output}`);
console.log(milliseconds);
