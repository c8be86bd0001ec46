import { findNodeAtLocation, getNodeValue, type Node, parseTree } from 'jsonc-parser';
import { withEntry } from '../files/withEntry.ts';
import { addressesIn, stringsIn } from '../foreign/addresses.ts';
import { fieldTable } from '../operations/declarations.ts';
import type { OperationId } from '../operations/operations.ts';
import { presetIn } from '../operations/presets.ts';

// What the command line must find in a manifest, because it does not know the setting `fields`.

/** Accepts the preset that the setting names, if any. @param text a JSON object with comments @returns the new text */
export function declarePreset(text: string, setting: unknown): string {
  const preset = presetIn(setting);
  return preset === undefined ? text : withEntry(text, treeOf(text), ['accepts', 'preset'], preset);
}

/**
 * Declares further fields that only the setting declares. Defaults are left out: they would change what other entries ask for.
 * So are addresses, which no manifest may hold.
 *
 * @param text a JSON object with comments
 * @param declared the setting with the manifest's `accepts`
 * @returns the new text
 */
export function declareFields(
  text: string,
  { operation, model, names }: { operation: OperationId; model: string; names: readonly string[] },
  declared: unknown,
): string {
  const node = findNodeAtLocation(treeOf(text), ['accepts']);
  const known = fieldTable(operation, node && getNodeValue(node), model).further.map(({ name }) => name);
  const missing = fieldTable(operation, declared, model).further.flatMap(({ name, label, default: _, ...others }) => {
    if (!names.includes(name) || known.includes(name)) return [];
    return [[name, withoutAddresses({ ...others, ...(label !== name && { label }) })] as const];
  });
  if (missing.length === 0) return text;
  const all = Object.fromEntries(missing);
  if (!node || !findNodeAtLocation(node, [operation]))
    return withEntry(text, treeOf(text), ['accepts', operation], all);
  return missing.reduce((now, [name, declaration]) => {
    const accepts = findNodeAtLocation(treeOf(now), ['accepts']) ?? node;
    return withEntry(now, accepts, [operation, name], declaration);
  }, text);
}

/** Returns a declaration without its texts that hold addresses, and without lists that are empty then. */
function withoutAddresses(declaration: object): object {
  const isPlain = (one: unknown) => stringsIn(one).every((text) => addressesIn(text).length === 0);
  const kept = Object.entries(declaration).flatMap(([name, value]: readonly [string, unknown]) => {
    if (isPlain(value)) return [[name, value] as const];
    const left = Array.isArray(value) ? value.filter(isPlain) : [];
    return left.length > 0 ? [[name, left] as const] : [];
  });
  return Object.fromEntries(kept);
}

function treeOf(text: string): Node {
  return parseTree(text) ?? { type: 'null', offset: 0, length: 0 };
}
