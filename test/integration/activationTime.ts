/** Whole milliseconds, as VS Code itself measures them. */
export interface ActivationTime {
  /** Loading the extension's main file with what it imports statically. */
  readonly load: number;
  /** The call of activate() until its promise settles. */
  readonly activate: number;
}

interface PerformanceMarks {
  getMarks(): readonly { readonly name: string; readonly startTime: number }[];
}

/**
 * Reads the marks that "Developer: Show Running Extensions" is made from; there is no public API for them.
 * Throws when the extension has not been activated.
 */
export function activationTime(extensionId: string): ActivationTime {
  const { MonacoPerformanceMarks } = globalThis as { MonacoPerformanceMarks?: PerformanceMarks };
  const marks = MonacoPerformanceMarks?.getMarks() ?? [];
  const at = (event: string): number => {
    const name = `code/extHost/${event}/${extensionId}`;
    const mark = marks.find((candidate) => candidate.name === name);
    if (!mark) throw new Error(`VS Code has no mark ${name}.`);
    return mark.startTime;
  };
  return {
    load: at('didLoadExtensionCode') - at('willLoadExtensionCode'),
    activate: at('didActivateExtension') - at('willActivateExtension'),
  };
}
