import * as vscode from 'vscode';
import { oneLine } from '../../editor/displayText.ts';
import type { GenerableFile, Proposal } from './proposalFor.ts';

/** Maximum number of files that one question lists. */
const maxNamed = 12;

/**
 * Returns the prompt of each file: from the document, or else from the person.
 *
 * @returns undefined when the person dismissed a question
 */
export async function askPrompts(
  files: readonly GenerableFile[],
  title: string,
): Promise<readonly string[] | undefined> {
  const prompts: string[] = [];
  for (const { name, proposal } of files) {
    const prompt = proposal.prompt ?? (await ask(name, proposal, title));
    if (prompt === undefined) return undefined;
    prompts.push(prompt);
  }
  return prompts;
}

async function ask(name: string, { operation, start: value }: Proposal, title: string): Promise<string | undefined> {
  const isSpoken = operation === 'speak';
  const prompt = isSpoken
    ? vscode.l10n.t('The document does not say what is spoken in {0}. Enter the text to speak.', name)
    : vscode.l10n.t('The document does not say what {0} shows. Describe it.', name);
  const missing = isSpoken ? vscode.l10n.t('Enter the text to speak.') : vscode.l10n.t('Describe what the file shows.');
  const answer = await vscode.window.showInputBox({
    title,
    prompt,
    value,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? missing : undefined),
  });
  return answer?.trim() || undefined;
}

/** Asks once for all files, each counted once. */
export async function agreesToAll(files: readonly GenerableFile[], prompts: readonly string[]): Promise<boolean> {
  const [first] = files;
  const question =
    files.length === 1 && first
      ? vscode.l10n.t('Generate {0}?', first.name)
      : vscode.l10n.t('Generate {0} missing files?', files.length);
  const lines = files.slice(0, maxNamed).map(({ name }, index) => `${name}: ${oneLine(prompts[index] ?? '')}`);
  const others = files.length - lines.length;
  if (others > 0) lines.push(vscode.l10n.t('… and {0} more', others));
  const detail = [counts(files), ...lines, '', vscode.l10n.t('The service may bill each of them.')].join('\n');
  const generate = vscode.l10n.t('Generate');
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, generate)) === generate;
}

function counts(files: readonly GenerableFile[]): string {
  const count = (operation: string) => files.filter(({ proposal }) => proposal.operation === operation).length;
  const [images, sounds, videos] = [count('generateImage'), count('speak'), count('generateVideo')];
  return [
    ...(images > 0 ? [vscode.l10n.t('Images: {0}', images)] : []),
    ...(sounds > 0 ? [vscode.l10n.t('Audio files: {0}', sounds)] : []),
    ...(videos > 0 ? [vscode.l10n.t('Videos: {0}', videos)] : []),
  ].join(', ');
}
