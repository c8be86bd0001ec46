import * as l10n from '@vscode/l10n';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Icon } from './Icon.tsx';
import { isDelete } from './isMac.ts';

interface ComboboxProps {
  readonly id: string;
  readonly name: string;
  /** Defaults to the name. */
  readonly placeholder?: string;
  readonly text: string;
  readonly suggestions: readonly string[];
  /** Suggested models that the service no longer has. */
  readonly gone?: readonly string[];
  /** Suggestions that the person can remove. */
  readonly forgettable?: readonly string[];
  readonly isDisabled?: boolean;
  readonly isInvalid?: boolean;
  readonly describedBy?: string;
  onEdit(text: string): void;
  /** Takes a suggestion that was chosen; by default it becomes the text. */
  onChoose?(suggestion: string): void;
  onForget?(suggestion: string): void;
  onFocus?(): void;
}

/** A text field with suggestions. It lists all of them until the user types. */
export function Combobox(props: ComboboxProps) {
  const {
    id,
    name,
    placeholder = name,
    text,
    suggestions,
    gone = [],
    forgettable = [],
    isDisabled,
    isInvalid,
    describedBy,
    onEdit,
    onChoose = onEdit,
    onForget,
    onFocus,
  } = props;
  const [isOpen, setOpen] = useState(false);
  const [isTyping, setTyping] = useState(false);
  const [active, setActive] = useState(-1);
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  const matching = isTyping ? suggestions.filter((one) => one.toLowerCase().includes(text.toLowerCase())) : suggestions;
  const isShown = isOpen && matching.length > 0;
  useEffect(() => {
    if (isShown) document.getElementById(`${listId}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [active, isShown]);
  const open = (): void => {
    setOpen(true);
    setTyping(false);
    setActive(suggestions.indexOf(text));
  };
  const choose = (index: number): void => {
    const chosen = matching[index];
    if (chosen !== undefined) onChoose(chosen);
    setOpen(false);
    input.current?.focus();
  };
  const forget = (suggestion: string | undefined): boolean => {
    if (suggestion === undefined || !onForget || !forgettable.includes(suggestion)) return false;
    onForget(suggestion);
    return true;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      if (isShown) setActive((active + step + matching.length) % matching.length);
      else open();
    } else if (isShown && event.key === 'Enter' && active >= 0 && !event.ctrlKey && !event.metaKey) choose(active);
    else if (isShown && event.key === 'Escape') setOpen(false);
    // As in the lists of browsers. Delete alone is for the text of the field.
    else if (!(isShown && isDelete(event) && event.shiftKey && forget(matching[active]))) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <span class="combobox">
      <input
        ref={input}
        id={id}
        type="text"
        role="combobox"
        aria-label={name}
        aria-expanded={isShown}
        aria-controls={isShown ? listId : undefined}
        aria-autocomplete="list"
        aria-activedescendant={isShown && active >= 0 ? `${listId}-${active}` : undefined}
        aria-invalid={isInvalid}
        aria-describedby={describedBy}
        title={text === '' ? name : l10n.t('{0}: {1}', name, text)}
        placeholder={placeholder}
        spellcheck={false}
        autocomplete="off"
        disabled={isDisabled}
        value={text}
        onInput={(event) => {
          onEdit(event.currentTarget.value);
          setOpen(true);
          setTyping(true);
          setActive(-1);
        }}
        onFocus={onFocus}
        onClick={() => !isShown && open()}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      {suggestions.length > 0 && !isDisabled && <Icon name="chevronDown" />}
      {isShown && (
        <div id={listId} class="suggestions" role="listbox" aria-label={l10n.t('Suggestions')}>
          {matching.map((one, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus and names the active one
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys go to the input
            <div
              key={one}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === active}
              aria-keyshortcuts={forgettable.includes(one) ? 'Shift+Delete' : undefined}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(index)}
            >
              {one}
              {gone.includes(one) && <span class="gone"> {l10n.t('the service no longer has it')}</span>}
              {forgettable.includes(one) && (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the keys go to the input
                // biome-ignore lint/a11y/noStaticElementInteractions: an option may contain no button
                <span
                  class="forget"
                  title={l10n.t('Forget This Name (Shift+Delete)')}
                  onClick={(event) => {
                    event.stopPropagation();
                    forget(one);
                  }}
                >
                  <Icon name="close" />
                </span>
              )}
            </div>
          ))}
        </div>
      )}
    </span>
  );
}
