import { type AssetKind, type OperationId, operations } from '../../operations/operations.ts';
import { operationsByName } from '../../operations/operationsByName.ts';
import type { BodyOf, ConnectedService } from '../protocol/messages.ts';

type ModelChoices = BodyOf<'saveModels'>['models'];

/**
 * Returns the operations that a model is chosen for: those that its kind fits or, where the service does not tell its kind, those
 * that its name tells; undefined if neither does. One of several kinds only takes operations that have none.
 */
export function operationsFor(
  name: string,
  models: ConnectedService['models'],
  edited: ModelChoices,
): readonly OperationId[] | undefined {
  const fitting = models.filter(({ names }) => names.includes(name)).map(({ operation }) => operation);
  if (new Set(fitting.map((operation) => operations[operation].result)).size === 1) return fitting;
  // A model whose kind is not told is offered for all operations.
  if (fitting.length === models.length) {
    const byName = operationsByName(name);
    return byName && fitting.filter((operation) => byName.includes(operation));
  }
  const hasModel = (operation: OperationId) =>
    (edited[operation] ?? models.find((one) => one.operation === operation)?.chosen ?? '') !== '';
  return fitting.filter((operation) => !hasModel(operation));
}

/** Returns the models that are suggested by their names, for operations that have none. */
export function suggestedModels(models: ConnectedService['models']): ModelChoices {
  const suggested = models.filter(({ chosen, guess }) => chosen === '' && guess !== undefined);
  return Object.fromEntries(suggested.map(({ operation, guess }) => [operation, guess]));
}

/** The kinds of results that a service's operations have. */
export function kindsOf(models: ConnectedService['models']): readonly AssetKind[] {
  return [...new Set(models.map(({ operation }) => operations[operation].result))];
}
