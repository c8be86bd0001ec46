import type { Settings } from '../../editor/Settings.ts';
import type { MediaRequest, Operation, OperationId } from '../../operations/operations.ts';
import { operations } from '../../operations/operations.ts';
import { validateField, validateRequest } from '../../operations/validateRequest.ts';
import type { Question } from './askRequest.ts';
import { askRequest } from './askRequest.ts';
import type { OperationDependencies } from './registerOperations.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What the sandbox's models are called when the settings name none. */
const sandboxModel = 'sandbox-1';

/** A request from what is given, what the settings say, and what the person answers; undefined when dismissed. */
export async function completeRequest(
  id: OperationId,
  given: Fields,
  { byPerson, sandbox }: { readonly byPerson: boolean; readonly sandbox: boolean },
  { settings, lastUsed }: OperationDependencies,
): Promise<MediaRequest | undefined> {
  const operation: Operation = operations[id];
  const last = lastUsed.get(id, sandbox);
  const fallback = (name: string) => settingFor(id, name, settings);
  const suggestions = modelNames(settings.models(id), last, sandbox);
  const questions = operation.fields
    .filter((field) => {
      if (given[field.name] !== undefined) return false;
      // With an argument, a default is an answer. Without one a person is asked, but not for technical formats.
      if (!byPerson) return !('default' in field) && fallback(field.name) === undefined;
      return !(field.type === 'choice' && field.technical);
    })
    .map((field): Question => {
      const standard = fallback(field.name) ?? ('default' in field ? field.default : undefined);
      return { field, value: last[field.name] ?? standard, suggestions };
    });
  const answers = await askRequest(operation, questions);
  if (!answers) return undefined;
  const defaults = Object.fromEntries(operation.fields.map(({ name }) => [name, fallback(name)]));
  return validateRequest(id, { ...withoutUndefined(defaults), ...given, ...answers });
}

/** What the settings say for a field, where one of them does. */
function settingFor(id: OperationId, field: string, settings: Settings): unknown {
  if (field === 'model') return settings.models(id)[0];
  if (operations[id].area !== 'image') return undefined;
  if (field === 'n') return settings.imageCount;
  return field === 'output_format' ? settings.imageOutputFormat : undefined;
}

/** The fields of an argument; a wrong one is named before anything is asked. */
export function checkGiven(id: OperationId, argument: unknown): Fields {
  if (argument === undefined) return {};
  const { fields }: Operation = operations[id];
  const given = isFields(argument) ? withoutUndefined(argument) : undefined;
  const isKnown = given && Object.keys(given).every((name) => fields.some((field) => field.name === name));
  // What is no object or holds another field cannot become right by asking.
  if (!isKnown) return validateRequest(id, argument);
  for (const field of fields) {
    if (given[field.name] !== undefined) validateField(field, given[field.name]);
  }
  return given;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutUndefined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Models to choose from: the one used last, then those of the settings. */
function modelNames(listed: readonly string[], last: Fields, sandbox: boolean): readonly string[] {
  const names = [...(typeof last.model === 'string' ? [last.model] : []), ...listed];
  return [...new Set(sandbox ? [...names, sandboxModel] : names)];
}
