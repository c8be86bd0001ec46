import { posix } from 'node:path';
import * as vscode from 'vscode';

const maxFiles = 20;

/** Returns the paths of the files with a name in a workspace folder, ignoring case and leaving out dependencies. */
export async function filesNamed(
  root: vscode.Uri,
  name: string,
  token: vscode.CancellationToken,
): Promise<readonly string[]> {
  const letters = [...name].map((letter) => {
    const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
    if (lower !== upper && lower.length === 1 && upper.length === 1) return `[${lower}${upper}]`;
    return /[*?[\]{}!,\\]/.test(letter) ? '?' : letter;
  });
  const pattern = new vscode.RelativePattern(root, `**/${letters.join('')}`);
  const found = await vscode.workspace.findFiles(pattern, '**/{node_modules,.git}/**', maxFiles, token);
  return found.map(({ path }) => path).filter((path) => posix.basename(path).toLowerCase() === name.toLowerCase());
}
