import type { ComponentProps } from 'preact';
import { Icon, type IconName } from './Icon.tsx';

interface ToolButtonProps extends Omit<ComponentProps<'button'>, 'name' | 'ref'> {
  /** What a screen reader says, and a tooltip unless there is a `title`. */
  readonly name: string;
  /** Without one, the children are drawn. */
  readonly icon?: IconName;
}

/** A small button without words. It takes the attributes of any button. */
export function ToolButton({ name, icon, children, ...attributes }: ToolButtonProps) {
  return (
    <button type="button" class="tool" title={name} aria-label={name} {...attributes}>
      {icon ? <Icon name={icon} /> : children}
    </button>
  );
}
