import { createContext } from 'preact';
import type { OperationId } from '../operations/operations.ts';

/** The operation whose form is shown. */
export const SelectedOperation = createContext<OperationId>('generateImage');
