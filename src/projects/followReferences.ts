import { posix } from 'node:path';
import { type MediaReference, withoutQuery } from '../documents/MediaReference.ts';
import { hrefIn } from './formatReference.ts';
import type { Moves } from './Moves.ts';
import type { Address, AddressTarget, Places } from './Places.ts';
import type { PlacedDocument } from './Project.ts';

/** The places of a document before and after files move. */
export interface Sides {
  readonly before: Places;
  readonly after: Places;
  readonly moves: Moves;
}

/** A part of a document that gets another text. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What becomes of the references of a document when files move. */
export interface FollowedReferences {
  /** In the order of the text. */
  readonly changes: readonly TextChange[];
  /** Paths of files that references led to and that no address as short as theirs leads to any more. */
  readonly lost: readonly string[];
}

/**
 * Lets the references of a document lead to the files that they lead to now, where these or the document itself move. An
 * address keeps its style: relative, from the root, or with an alias. What the new place of a file does not allow is
 * written as the project needs it.
 *
 * @param document as it is placed before the moves
 */
export async function followReferences(
  text: string,
  references: readonly MediaReference[],
  document: PlacedDocument,
  sides: Sides,
): Promise<FollowedReferences> {
  const changes: TextChange[] = [];
  const lost: string[] = [];
  for (const reference of references) {
    const target = await sides.before.resolve(document, reference);
    if (!target?.exists) continue;
    const path = sides.moves.after(target.path);
    const placed = { ...document, path: sides.moves.after(document.path) };
    if (path === target.path && placed.path === document.path) continue;
    if (isSound(await sides.after.resolve(placed, reference), path, target)) continue;
    const written = text.slice(reference.range.start, reference.range.end);
    const href = await newHref(reference, { document, placed, target, path, text }, sides);
    if (href === undefined) lost.push(target.path);
    else if (href !== written) changes.push({ ...reference.range, text: href });
  }
  return { changes: changes.sort((a, b) => a.start - b.start), lost: [...new Set(lost)] };
}

/** A reference that has to change, and its file. */
interface Broken {
  readonly document: PlacedDocument;
  readonly placed: PlacedDocument;
  readonly target: AddressTarget;
  /** Where the file is after the moves. */
  readonly path: string;
  readonly text: string;
}

/** Whether an address leads to a file, and readers get it if they got it before. */
function isSound(found: AddressTarget | undefined, path: string, before: AddressTarget): boolean {
  return found?.exists === true && found.path === path && (found.fault === undefined || before.fault !== undefined);
}

/** Returns the address as it stands in the document; undefined when none leads to the file. */
async function newHref(
  reference: MediaReference,
  broken: Broken,
  { before, after }: Sides,
): Promise<string | undefined> {
  const { document, placed, target, path, text } = broken;
  const { form, element, folders, range } = reference;
  const way = await before.decode(document, reference);
  if (way === undefined) return undefined;
  const tail = tailOf(text.slice(range.start, range.end), reference.address, way);
  const leading = text.slice(Math.max(0, range.start - 20), range.start);
  for (const candidate of alike(way, broken)) {
    const address = await encoded(candidate, placed, reference, after);
    if (!isSound(await after.resolve(placed, { ...reference, address }), path, target)) continue;
    const href = hrefIn(placed.language, form, { address: candidate }, leading);
    if (href !== undefined) return href + tail;
  }
  const { address, wrapper, isServed } = await after.write(placed, path, { form, element, folders });
  const href = isServed ? hrefIn(placed.language, form, { address, wrapper }, leading) : undefined;
  return href === undefined || address.includes('?') ? href : href + tail;
}

/** Returns the query and the fragment as they are written; a reference that is a path has none. */
function tailOf(written: string, address: string, way: string): string {
  const tail = address.slice(withoutQuery(address).length);
  if (tail === '' || way.endsWith(tail)) return '';
  // The number sign of a character reference is none of the address.
  return written.slice(written.search(/\?|(?<!&)#/));
}

/** Returns a decoded address as `resolve` takes it. */
async function encoded(way: string, document: PlacedDocument, reference: Address, places: Places): Promise<string> {
  const address = way.replace(/[%?#]/g, encodeURIComponent);
  return (await places.decode(document, { ...reference, address })) === way ? address : way;
}

/** Returns the addresses of the new path in the style of the present one, the likeliest first. */
function alike(way: string, { document, placed, target, path }: Broken): readonly string[] {
  // LaTeX leaves the extension out.
  const extension = posix.extname(target.path);
  const ending = way.endsWith(extension) || !path.endsWith(extension) ? '' : extension;
  const [from, to] = [target.path, path].map((one) => one.slice(0, one.length - ending.length));
  if (from === undefined || to === undefined) return [];
  const found: string[] = [];
  if (!way.startsWith('/') && posix.join(posix.dirname(document.path), way) === from) {
    const relative = posix.relative(posix.dirname(placed.path), to);
    found.push(way.startsWith('.') && !relative.startsWith('.') ? `./${relative}` : relative);
  }
  // What the address and the path end with alike lies below a folder that the beginning of the address stands for.
  const [names, parts] = [way.split('/'), from.split('/')];
  let same = 0;
  while (same < names.length && names.at(-1 - same) === parts.at(-1 - same)) same++;
  const inside = posix.relative(parts.slice(0, parts.length - same).join('/') || '/', to);
  if (same > 0 && !inside.startsWith('../')) {
    found.push([...names.slice(0, names.length - same), ...inside.split('/')].join('/'));
  }
  return found;
}
