import * as l10n from '@vscode/l10n';
import { useEffect, useRef } from 'preact/hooks';
import type { Operation } from '../../operations/operations.ts';
import { operations } from '../../operations/operations.ts';
import { tabs } from '../protocol/tabs.ts';
import type { Composition, Problem } from './composition.ts';
import { controlId, problemId } from './Options.tsx';
import { useHistory } from './useHistory.ts';

interface PromptProps {
  readonly composition: Composition;
  readonly problem: Problem | undefined;
  onPrompt(prompt: string): void;
}

/** The text field, which grows with its text. */
export function Prompt({ composition, problem, onPrompt }: PromptProps) {
  const { tab, operation, prompt } = composition;
  const area = useRef<HTMLTextAreaElement>(null);
  const onHistory = useHistory(tab, prompt, onPrompt);
  // Focus the field when the user moves to the view, but never take the focus from elsewhere while the view loads.
  useEffect(() => {
    const focus = (): void => {
      if (document.hasFocus() && document.activeElement === document.body) area.current?.focus({ preventScroll: true });
    };
    window.addEventListener('focus', focus);
    focus();
    return () => window.removeEventListener('focus', focus);
  }, []);
  const { fields }: Operation = operations[operation];
  const field = fields.find(({ name }) => name === tabs[tab].text);
  if (field?.type !== 'text') return null;
  const isInvalid = problem?.field === field.name;
  return (
    <textarea
      ref={area}
      id={controlId(field.name)}
      class="prompt"
      dir="auto"
      rows={2}
      aria-label={l10n.t(field.label)}
      aria-required="true"
      aria-invalid={isInvalid}
      aria-describedby={isInvalid ? problemId : undefined}
      placeholder={l10n.t(field.placeholder)}
      value={prompt}
      // Read by the benchmark.
      onFocus={() => performance.mark('typing')}
      onInput={(event) => onPrompt(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (onHistory(event)) event.preventDefault();
      }}
    />
  );
}
