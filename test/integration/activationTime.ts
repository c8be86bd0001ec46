/** Times in whole milliseconds, measured by VS Code. */
export interface ActivationTime {
  /** Time to load the extension's main file with its static imports. */
  readonly load: number;
  /** Time from the call of activate() until its promise settles. */
  readonly activate: number;
}

interface PerformanceMarks {
  getMarks(): readonly { readonly name: string; readonly startTime: number }[];
}

/**
 * Reads the times that "Developer: Show Running Extensions" shows; there is no public API for them.
 * @throws when the extension has not been activated
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
