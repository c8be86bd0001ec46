import type { Findings } from '../Findings.ts';
import { ScriptReader } from './ScriptReader.ts';

/**
 * Finds the modules that JavaScript or TypeScript names as media, and with JSX the references of its tags.
 *
 * @param offset of this part in the document
 */
export function findInScript(text: string, hasJsx: boolean, findings: Findings, offset = 0): void {
  new ScriptReader(text, hasJsx, findings, offset).read();
}
