import * as l10n from '@vscode/l10n';
import { type FurtherField, fieldTable, furtherProblem } from '../../operations/declarations.ts';
import type { FurtherValue } from '../../operations/Further.ts';
import { spokenField, typedValue } from '../../operations/fields.ts';
import { MediaError, messageForPerson } from '../../operations/MediaError.ts';
import {
  type Field,
  type Operation,
  type OperationId,
  operations,
  takesFiles,
  takesVideo,
  wordsField,
} from '../../operations/operations.ts';
import { type Counted, costOf, describeCost, maxSpokenAtOnce, secondsIn } from '../../operations/prices.ts';
import { validateField } from '../../operations/validateRequest.ts';
import type { Attachment, BodyOf, Draft, Move, Region, ReplyOf, Setup, ShapeId } from '../protocol/messages.ts';
import { maxAttachments, operationFor, switchedTo, type TabId, tabOf } from '../protocol/tabs.ts';

/** The request that the composer would submit: the draft, completed with the host's defaults. */
export interface Composition {
  readonly tab: TabId;
  readonly operation: OperationId;
  readonly prompt: string;
  readonly attachments: readonly Attachment[];
  /** Field values by their names on the wire, without the fields that take files. */
  readonly values: Readonly<Record<string, string>>;
  /** The operation's own fields, as the service takes them. */
  readonly own: readonly Field[];
  /** The further fields of the service, with this model. */
  readonly further: readonly FurtherField[];
  /** The day on which the model ends, if it is announced. */
  readonly endsOn: string | undefined;
  /** What was entered for them, as text; a file is its URI. */
  readonly entered: Readonly<Record<string, string>>;
  /** Whether this computer crops the results, because the service has no shapes to choose. */
  readonly canCrop: boolean;
  /** The shape to crop them to. */
  readonly shape: ShapeId | undefined;
  /** The part of the attached picture that is to be edited. */
  readonly region: Region | undefined;
}

export function compose(draft: Draft, setup: Setup | undefined): Composition {
  const { tab } = draft;
  const attachments = draft.attachments[tab] ?? [];
  const operation = operationFor(tab, attachments, draft.switched);
  const prompt = draft.prompts[tab] ?? '';
  const words = wordsField(operations[operation]);
  const [first] = attachments;
  // Only the model that made a video can remix it.
  const remixed: Readonly<Record<string, string>> = takesVideo(operations[operation])
    ? { video_id: first?.videoId ?? '', model: first?.model ?? '' }
    : {};
  const typed = setup && draft.models[modelKey(operation, setup.hosts[operation])];
  const known: Readonly<Record<string, string>> = {
    ...setup?.defaults[operation],
    ...draft.options[tab],
    ...(typed === undefined ? {} : { model: typed }),
    ...(words && { [words.name]: prompt }),
    ...remixed,
  };
  const { own, further, endsOn } = tableOf(operation, setup?.declared, known.model);
  const values = Object.fromEntries(
    own.filter((field) => !takesFiles(field)).map((field) => [field.name, shownValue(field, known[field.name])]),
  );
  const entered = Object.fromEntries(
    further.map(({ name, default: standard }) => [name, draft.options[tab]?.[name] ?? String(standard ?? '')]),
  );
  const region = isOneImage(operation, attachments) ? first?.region : undefined;
  const hasShapes = further.some(({ name }) => name === 'size' || name === 'aspect_ratio');
  const canCrop = operations[operation].result === 'images' && !hasShapes && !region;
  const shape = canCrop ? (draft.shapes[tab] ?? undefined) : undefined;
  return { tab, operation, prompt, attachments, values, own, further, endsOn, entered, canCrop, shape, region };
}

function isOneImage(operation: OperationId, [first, ...others]: readonly Attachment[]): boolean {
  return operation === 'editImage' && first?.kind === 'image' && others.length === 0;
}

/** Whether a part of the attached picture can be selected. A picture at an address cannot be cut, nor shown. */
export function canSelectRegion({ operation, attachments }: Composition): boolean {
  return isOneImage(operation, attachments) && attachments[0]?.thumbnail !== undefined;
}

function takesMask({ further }: Composition): boolean {
  return further.some(({ name, type }) => name === maskField && type === 'file');
}

const maskField = 'mask';

export function shapeName(id: ShapeId): string {
  return id.replace('x', ' × ');
}

/** Declarations that are not valid are named by the host when the request is submitted. */
function tableOf(operation: OperationId, declared: unknown, model: string | undefined) {
  try {
    return fieldTable(operation, declared, model === '' ? undefined : model);
  } catch {
    return fieldTable(operation, undefined);
  }
}

/** A value that was chosen for another model or service gives way to the default. */
function shownValue(field: Field, text = ''): string {
  const isRefused = field.type === 'choice' && !field.open && !field.options.includes(text);
  return isRefused && text !== '' ? field.default : text;
}

/** Returns the values of further fields as they are sent; a text stands for what is no number, for validation to reject. */
function furtherValues({ further, entered }: Pick<Composition, 'further' | 'entered'>) {
  const given = further.filter(({ name }) => (entered[name] ?? '').trim() !== '');
  return Object.fromEntries(given.map((field) => [field.name, typedAs(field, entered[field.name] ?? '')]));
}

function typedAs({ type }: FurtherField, text: string): FurtherValue {
  switch (type) {
    case 'integer':
    case 'number':
      return Number.isFinite(Number(text)) ? Number(text) : text;
    case 'boolean':
      return text === 'true';
    case 'strings':
      return listIn(text);
    default:
      return text;
  }
}

/** Returns the texts of a list with commas. A `data:` URL has one of its own. */
function listIn(text: string): readonly string[] {
  const pieces = text.split(',').map((one) => one.trim());
  const isHead = (piece = '') => /^data:/i.test(piece);
  return pieces.flatMap((piece, index) => {
    if (piece === '' || isHead(pieces[index - 1])) return [];
    return isHead(piece) ? [`${piece},${pieces[index + 1] ?? ''}`] : [piece];
  });
}

/** Returns the name by which a draft keeps the model of an operation. Each service has models of its own. */
export function modelKey(operation: OperationId, host = ''): string {
  return `${operation} ${host}`;
}

/** Spoken characters in a minute. */
const charactersPerMinute = 900;

/**
 * Says where a request goes, how much it is and, by the person's own prices, what it costs.
 *
 * @param language that numbers are written in; that of the system if absent
 */
export function spendingOf(composition: Composition, setup: Setup, language?: string): string {
  const { operation, values, attachments, own, endsOn, shape, region } = composition;
  const { hosts, prices } = setup;
  const host = hosts[operation] ?? '';
  const { model = '', n } = values;
  const input = values[spokenField(own)?.name ?? ''];
  const amounts: string[] = [];
  const counted: { -readonly [Name in keyof Counted]: Counted[Name] } = { requests: 1 };
  if (operations[operation].result === 'videos') counted.seconds = secondsIn(furtherValues(composition));
  if (operations[operation].result === 'images') counted.images = Math.max(1, Number(n) || 1);
  if (input !== undefined && input !== '') {
    const minutes = Math.max(1, Math.round(input.length / charactersPerMinute));
    counted.characters = input.length;
    if (input.length > maxSpokenAtOnce) counted.requests = undefined;
    amounts.push(l10n.t('{0} characters', input.length.toLocaleString(language)), l10n.t('about {0} min', minutes));
  }
  let isUpperBound = false;
  const known = attachments.map(({ minutes }) => minutes);
  if (operations[operation].result === 'transcripts' && known.length > 0 && !known.includes(undefined)) {
    counted.minutes = known.reduce((total: number, minutes = 0) => total + minutes, 0);
    isUpperBound = attachments.some(({ minutesAtMost }) => minutesAtMost);
    const shown = l10n.t(
      '{0} min',
      Math.max(1, isUpperBound ? Math.ceil(counted.minutes) : Math.round(counted.minutes)).toLocaleString(language),
    );
    amounts.push(isUpperBound ? l10n.t('at most {0}', shown) : shown);
  }
  const cost = host === '' ? undefined : costOf(prices, model, counted);
  return [
    host === '' ? l10n.t('sandbox, free') : (URL.parse(host)?.host ?? host),
    ...(model === '' ? [] : [model]),
    ...(endsOn === undefined || host === '' ? [] : [l10n.t('announced to end on {0}', endsOn)]),
    ...amounts,
    ...(cost === undefined || !prices ? [] : [describeCost(cost, prices, language, isUpperBound)]),
    ...(shape ? [l10n.t('cropped to {0}', shapeName(shape))] : []),
    ...(region ? [l10n.t('only the selected region')] : []),
  ].join(' · ');
}

/** Returns the body of the `submit` request. */
export function submissionOf(composition: Composition): BodyOf<'submit'> {
  const { operation, values, attachments, own, shape, region } = composition;
  const file = own.find(takesFiles);
  const hasMask = region !== undefined && takesMask(composition);
  return {
    operation,
    values,
    files: file ? { [file.name]: attachments.map(({ uri }) => uri) } : {},
    fields: { ...furtherValues(composition), ...(hasMask && { [maskField]: region.mask }) },
    shape: shape ?? null,
    region: hasMask ? null : (region ?? null),
  };
}

/**
 * Clears the prompt and the attachments of a request that was sent, unless they were changed in the meantime. The Up key
 * brings the prompt back.
 *
 * @param sent the draft that the request was made from
 */
export function withoutSent({ prompts, attachments }: Draft, sent: Draft): Partial<Draft> {
  const { tab } = sent;
  const isSame =
    prompts[tab] === sent.prompts[tab] && JSON.stringify(attachments[tab]) === JSON.stringify(sent.attachments[tab]);
  return isSame ? { prompts: { ...prompts, [tab]: '' }, attachments: { ...attachments, [tab]: [] } } : {};
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

/** Limits the edit of a picture to a region; nothing changes if the picture is no longer attached. */
export function withRegion(
  { attachments }: Draft,
  tab: TabId,
  uri: string,
  region: Region | undefined,
): Partial<Draft> {
  const regioned = attachments[tab]?.map((one) => (one.uri === uri ? { ...one, region } : one));
  return { attachments: { ...attachments, [tab]: regioned } };
}

/** Opens the tab of an operation, switched to that operation, and adds attachments. */
export function withInput(draft: Draft, operation: OperationId, added: readonly Attachment[]): Partial<Draft> {
  const tab = tabOf(operation);
  const switched = switchedTo(operation, draft.switched);
  return { ...withAttachments({ ...draft, switched }, tab, added), tab, switched };
}

/** Takes over all that a result or a job was made with. */
export function withRecalled(draft: Draft, recalled: ReplyOf<'recall'>): Partial<Draft> {
  const { operation, prompt, model, host, values, attachments } = recalled;
  const tab = tabOf(operation);
  return {
    tab,
    switched: switchedTo(operation, draft.switched),
    prompts: { ...draft.prompts, [tab]: prompt },
    models: { ...draft.models, [modelKey(operation, host)]: model },
    options: { ...draft.options, [tab]: values },
    shapes: { ...draft.shapes, [tab]: null },
    attachments: { ...draft.attachments, [tab]: attachments },
  };
}

/** Lets the attachments follow their files. */
export function withMoved({ attachments }: Draft, moves: readonly Move[]): Partial<Draft> {
  const followed = Object.entries(attachments).map(([tab, of = []]) => [
    tab,
    of.map((one) => moves.reduce(moved, one)),
  ]);
  return { attachments: Object.fromEntries(followed) };
}

function moved(attachment: Attachment, { from, to, name, shownFrom, shownTo }: Move): Attachment {
  const { kind, uri, thumbnail } = attachment;
  return {
    ...attachment,
    uri: movedAddress(uri, from, to),
    thumbnail: thumbnail && movedAddress(thumbnail, shownFrom, shownTo),
    // A video has the name of its prompt.
    ...(uri === from && kind !== 'video' && { name }),
  };
}

/** @param from the address of a file, or of a folder that is above it */
function movedAddress(address: string, from: string, to: string): string {
  return address === from || address.startsWith(`${from}/`) ? to + address.slice(from.length) : address;
}

/** An invalid field, and why it is invalid. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

export function problemsOf(composition: Composition): readonly FieldProblem[] {
  const { own, further } = composition;
  // The text comes first, as it does in the composer.
  const inOrder = [...own].sort((a, b) => Number(b.type === 'text') - Number(a.type === 'text'));
  const values = furtherValues(composition);
  const ofFurther = further.flatMap((field) => {
    const value = values[field.name];
    const message = value === undefined ? undefined : furtherProblem(field, value);
    return message === undefined ? [] : [{ field: field.name, message }];
  });
  const ofOwn = inOrder.flatMap((field) => {
    const message = problemOf(field, composition);
    return message === undefined ? [] : [{ field: field.name, message }];
  });
  return [...ofOwn, ...ofFurther];
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
    return error instanceof MediaError ? messageForPerson(error) : String(error);
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
