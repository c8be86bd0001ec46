import * as vscode from 'vscode';
import { commandIds, commandOf } from '../../contributions.ts';
import type { LibraryEntry } from '../../library/LibraryRecord.ts';
import { operations } from '../../operations/operations.ts';
import { canRepeat } from './repeatAsset.ts';

/** Maximum length of a prompt in a hover, in characters. */
const maxPromptLength = 500;

/**
 * Describes how a file was made, with links to what can be done with it. Text from the library is never treated as
 * markup.
 */
export function describeAsset(entry: LibraryEntry, uri: vscode.Uri): vscode.MarkdownString {
  const links = linksOf(entry, uri);
  const text = new vscode.MarkdownString();
  text.isTrusted = { enabledCommands: links.map(({ command }) => command) };
  const { prompt, model, operation, createdAt, sandbox, madeFrom } = entry;
  if (prompt) {
    const shown = prompt.length > maxPromptLength ? `${prompt.slice(0, maxPromptLength)}…` : prompt;
    text.appendMarkdown(`${escaped(shown)}\n\n`);
  }
  const facts = [
    vscode.l10n.t(operations[operation].title),
    model,
    new Date(createdAt).toLocaleString(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' }),
    ...(sandbox ? [vscode.l10n.t('sandbox')] : []),
  ];
  text.appendMarkdown(escaped(facts.join(' · ')));
  if (madeFrom) {
    text.appendMarkdown(`\n\n${escaped(vscode.l10n.t('Resized, cropped or converted from {0}', madeFrom.file))}`);
  }
  text.appendMarkdown(
    `\n\n${links.map(({ title, command, argument }) => linkTo(title, command, argument)).join(' | ')}`,
  );
  return text;
}

/**
 * Escapes text so that it shows as it is. VS Code escapes markup, but not the addresses that Markdown turns into links.
 */
function escaped(text: string): string {
  return new vscode.MarkdownString().appendText(text).value.replace(/:(?=\/\/)|(?<=www)\.|@/gi, '\\$&');
}

interface Link {
  readonly title: string;
  readonly command: string;
  readonly argument: unknown;
}

function linksOf(entry: LibraryEntry, uri: vscode.Uri): readonly Link[] {
  const { kind, operation, model, prompt, parentVideoId } = entry;
  const ofPictures: readonly Link[] = [
    { title: vscode.l10n.t('Edit'), command: commandOf('editImage'), argument: uri },
    { title: vscode.l10n.t('Animate'), command: commandOf('animateImage'), argument: uri },
  ];
  const again = { operation, model, prompt, ...(parentVideoId === undefined ? {} : { video_id: parentVideoId }) };
  return [
    ...(kind === 'images' ? ofPictures : []),
    ...(canRepeat(again) && !entry.madeFrom
      ? [{ title: vscode.l10n.t('Run Again'), command: commandIds.repeatAsset, argument: again }]
      : []),
    { title: vscode.l10n.t('Show in Library'), command: commandIds.openLibrary, argument: { uri: uri.toString() } },
  ];
}

/** The titles are our own, and everything else is encoded. */
function linkTo(title: string, command: string, argument: unknown): string {
  const encoded = encodeURIComponent(JSON.stringify([argument])).replace(
    /[()']/g,
    (one) => `%${one.charCodeAt(0).toString(16)}`,
  );
  return `[${title}](command:${command}?${encoded})`;
}
