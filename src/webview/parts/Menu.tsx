import { Fragment } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './Icon.tsx';

/** A position in the page, in pixels. */
export interface PagePosition {
  readonly x: number;
  readonly y: number;
}

interface MenuEntry<Id extends string> {
  readonly id: Id;
  readonly title: string;
  /** Whether a line separates it from the entry before. */
  readonly isFirstOfGroup?: boolean;
}

interface MenuButtonProps<Id extends string> {
  readonly name: string;
  readonly icon: IconName;
  readonly entries: readonly MenuEntry<Id>[];
  readonly describedBy?: string;
  readonly tabIndex?: number;
  onChoose(id: Id): void;
}

/** A button that opens a menu, by mouse or keyboard. */
export function MenuButton<Id extends string>({
  name,
  icon,
  entries,
  describedBy,
  tabIndex,
  onChoose,
}: MenuButtonProps<Id>) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <span>
      <button
        ref={button}
        type="button"
        class="tool"
        tabIndex={tabIndex}
        title={name}
        aria-label={name}
        aria-describedby={describedBy}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          event.stopPropagation();
          setOpen(true);
        }}
      >
        <Icon name={icon} />
      </button>
      {isOpen && (
        <Menu
          id={id}
          name={name}
          entries={entries}
          onClose={close}
          onLeave={() => setOpen(false)}
          onChoose={(chosen) => {
            close();
            onChoose(chosen);
          }}
        />
      )}
    </span>
  );
}

interface MenuProps<Id extends string> {
  readonly id?: string;
  readonly name: string;
  readonly entries: readonly MenuEntry<Id>[];
  /** Where it opens; below its button if absent. */
  readonly at?: PagePosition;
  onClose(): void;
  onLeave(): void;
  onChoose(id: Id): void;
}

export function Menu<Id extends string>({ id, name, entries, at, onClose, onLeave, onChoose }: MenuProps<Id>) {
  const menu = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!menu.current) return;
    place(menu.current, at);
    menu.current.querySelector('button')?.focus({ preventScroll: true });
  }, [at]);
  useEffect(() => {
    const leave = ({ target }: Event): void => {
      if (target instanceof Node && !menu.current?.parentElement?.contains(target)) onLeave();
    };
    // A menu that does not fit scrolls. Any other would stay behind while the page scrolls.
    const scroll = (event: Event): void => {
      const { scrollHeight = 0, clientHeight = 0 } = menu.current ?? {};
      if (scrollHeight > clientHeight) leave(event);
      else onLeave();
    };
    document.addEventListener('pointerdown', leave);
    window.addEventListener('blur', onLeave);
    document.addEventListener('wheel', scroll, { passive: true });
    return () => {
      document.removeEventListener('wheel', scroll);
      document.removeEventListener('pointerdown', leave);
      window.removeEventListener('blur', onLeave);
    };
  }, [onLeave]);
  const go = (index: number): void => {
    const items = [...(menu.current?.querySelectorAll('button') ?? [])];
    items.at(index % items.length)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const items: readonly (Element | null)[] = [...(menu.current?.querySelectorAll('button') ?? [])];
    const now = items.indexOf(document.activeElement);
    const found = items.findIndex(
      (item, index) => index > now && item?.textContent.toLowerCase().startsWith(event.key.toLowerCase()),
    );
    if (event.key === 'ArrowDown') go(now + 1);
    else if (event.key === 'ArrowUp') go(now - 1);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(-1);
    else if (event.key === 'Escape' || event.key === 'Tab') onClose();
    else if (event.key.length === 1 && event.key !== ' ' && found >= 0) go(found);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={menu} id={id} class="menu" role="menu" aria-label={name} tabIndex={-1} onKeyDown={onKeyDown}>
      {entries.map(({ id: chosen, title, isFirstOfGroup }) => (
        <Fragment key={chosen}>
          {isFirstOfGroup && <hr />}
          <button
            type="button"
            role="menuitem"
            tabIndex={-1}
            // As in VS Code's menus, where the mouse and the keyboard mark the same entry.
            onPointerMove={({ currentTarget }) => currentTarget.focus({ preventScroll: true })}
            onClick={() => onChoose(chosen)}
          >
            {title}
          </button>
        </Fragment>
      ))}
    </div>
  );
}

/** Places a menu below its button or a point, or above it if there is no room below. */
function place(menu: HTMLElement, at: PagePosition | undefined): void {
  const button = at ? new DOMRect(at.x, at.y) : menu.parentElement?.getBoundingClientRect();
  if (!button) return;
  const { width, height } = menu.getBoundingClientRect();
  const isLeft = getComputedStyle(menu).direction === 'ltr';
  const preferred = isLeft ? button.left : button.right - width;
  const left = Math.max(4, Math.min(preferred, window.innerWidth - width - 4));
  const below = button.bottom + 2;
  const top = below + height <= window.innerHeight ? below : Math.max(4, button.top - height - 2);
  menu.style.left = `${left}px`;
  menu.style.top = `${top}px`;
}
