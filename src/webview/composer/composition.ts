import * as l10n from '@vscode/l10n';
import { typedValue } from '../../operations/fields.ts';
import type { Field, Operation, OperationId } from '../../operations/operations.ts';
import { operations, takesFiles, takesVideo } from '../../operations/operations.ts';
import { validateField } from '../../operations/validateRequest.ts';
import type { Attachment, BodyOf, Draft, Setup } from '../protocol/messages.ts';
import type { TabId } from '../protocol/tabs.ts';
import { maxAttachments, operationFor, tabs } from '../protocol/tabs.ts';

/** The request that the composer would submit: the draft, completed with the host's defaults. */
export interface Composition {
  readonly tab: TabId;
  readonly operation: OperationId;
  readonly prompt: string;
  readonly attachments: readonly Attachment[];
  /** Field values by their names on the wire, without the fields that take files. */
  readonly values: Readonly<Record<string, string>>;
}

export function compose(draft: Draft, setup: Setup | undefined): Composition {
  const { tab } = draft;
  const attachments = draft.attachments[tab] ?? [];
  const operation = operationFor(tab, attachments, draft.switched);
  const prompt = draft.prompts[tab] ?? '';
  const { text } = tabs[tab];
  const [first] = attachments;
  // Only the model that made a video can remix it.
  const remixed: Readonly<Record<string, string>> = takesVideo(operations[operation])
    ? { video_id: first?.videoId ?? '', model: first?.model ?? '' }
    : {};
  const known: Readonly<Record<string, string>> = {
    ...setup?.defaults[operation],
    ...draft.options[tab],
    ...(draft.models[operation] === undefined ? {} : { model: draft.models[operation] }),
    ...(text ? { [text]: prompt } : {}),
    ...remixed,
  };
  const { fields }: Operation = operations[operation];
  const values = Object.fromEntries(
    fields.filter((field) => !takesFiles(field)).map(({ name }) => [name, known[name] ?? '']),
  );
  return { tab, operation, prompt, attachments, values };
}

/** Returns the body of the `submit` request. */
export function submissionOf({ operation, values, attachments }: Composition): BodyOf<'submit'> {
  const { fields }: Operation = operations[operation];
  const file = fields.find(takesFiles);
  return { operation, values, files: file ? { [file.name]: attachments.map(({ uri }) => uri) } : {} };
}

/** Adds attachments to a tab, up to the maximum of the operation they select: if that is one, the last stays. */
export function withAttachments(draft: Draft, tab: TabId, added: readonly Attachment[]): Partial<Draft> {
  if (added.length === 0) return {};
  const max = maxAttachments(operations[operationFor(tab, added, draft.switched)]);
  const before = draft.attachments[tab] ?? [];
  const isNew = ({ uri, videoId }: Attachment) =>
    !before.some((one) => one.uri === uri && (one.videoId ?? videoId) === videoId);
  const all = max === 1 ? [...before, ...added].slice(-1) : [...before, ...added.filter(isNew)].slice(0, max);
  return { attachments: { ...draft.attachments, [tab]: all } };
}

/** An invalid field, and why it is invalid. */
export interface Problem {
  readonly field: string;
  readonly message: string;
}

export function problemsOf(composition: Composition): readonly Problem[] {
  const { fields }: Operation = operations[composition.operation];
  // The text comes first, as it does in the composer.
  const inOrder = [...fields].sort((a, b) => Number(b.type === 'text') - Number(a.type === 'text'));
  return inOrder.flatMap((field) => {
    const message = problemOf(field, composition);
    return message === undefined ? [] : [{ field: field.name, message }];
  });
}

function problemOf(field: Field, { operation, values, attachments }: Composition): string | undefined {
  if (field.type === 'audioFile' && attachments.length === 0) return l10n.t('Attach a recording first.');
  const max = maxAttachments(operations[operation]);
  if (takesFiles(field) && attachments.length > max) {
    return l10n.t('The maximum number of files for “{0}” is {1}. Remove the others.', buttonName(operation), max);
  }
  // The host has checked the attachments.
  if (takesFiles(field)) return undefined;
  try {
    validateField(field, typedValue(field, values[field.name] ?? ''));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns the label of the submit button, which says exactly what it will do. */
export function submitName({ operation, values }: Composition): string {
  const { buttonForMany }: Operation = operations[operation];
  const count = Number(values.n);
  const isMany = Number.isSafeInteger(count) && count > 1;
  return isMany && buttonForMany ? l10n.t(buttonForMany, count) : buttonName(operation);
}

/** Returns the label of the button or switch that runs an operation once. */
export function buttonName(id: OperationId): string {
  const { button, title }: Operation = operations[id];
  return button ? l10n.t(button) : l10n.t(title);
}
