// Changes the picture that comes in on the standard input, and prints the process's peak memory in MiB before and after.
import { transformImage } from '../../src/images/transformImage.ts';

const parts: Buffer[] = [];
for await (const part of process.stdin) parts.push(part);
const peak = () => Math.round(process.resourceUsage().maxRSS / 1024);
const before = peak();
const { width, height } = await transformImage(Buffer.concat(parts), { width: 8, format: 'png' });
process.stdout.write(JSON.stringify({ width, height, before, after: peak() }));
