import * as l10n from '@vscode/l10n';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { ToolButton } from './ToolButton.tsx';

interface DialogProps {
  /** The element, so that its owner can close it. */
  readonly dialog: RefObject<HTMLDialogElement | null>;
  readonly class: string;
  readonly name: string;
  /** What stands above the content, before the button that closes the dialog. */
  readonly bar: { readonly class: string; readonly children: ComponentChildren };
  readonly children: ComponentChildren;
  onClose(): void;
}

/** A dialog over the whole page. */
export function Dialog({ dialog, class: className, name, bar, children, onClose }: DialogProps) {
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class={className} aria-label={name} onClose={onClose}>
      <div class={bar.class}>
        {bar.children}
        <ToolButton name={l10n.t('Close')} icon="close" onClick={() => dialog.current?.close()} />
      </div>
      {children}
    </dialog>
  );
}
