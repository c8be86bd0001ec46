import { post } from '../host.ts';
import type { AttachSource, Draft, Setup } from '../protocol/messages.ts';
import { switchesFor, tabs } from '../protocol/tabs.ts';
import { AttachButton } from './Attachments.tsx';
import type { Composition, Problem } from './composition.ts';
import { buttonName } from './composition.ts';
import { Options } from './Options.tsx';

interface ToolbarProps {
  readonly composition: Composition;
  readonly setup: Setup | undefined;
  readonly problem: Problem | undefined;
  onAttach(source: AttachSource): void;
  onChange(next: (draft: Draft) => Partial<Draft>): void;
}

/** The attach button, the model and the options of the result. */
export function Toolbar({ composition, setup, problem, onAttach, onChange }: ToolbarProps) {
  const { tab, operation } = composition;
  return (
    <div class="toolbar">
      {tabs[tab].attaches.length > 0 && <AttachButton tab={tab} onAttach={(from) => onAttach({ from })} />}
      <Options
        key={tab}
        composition={composition}
        models={setup?.models[operation] ?? []}
        problem={problem}
        onModel={(model) => onChange((now) => ({ models: { ...now.models, [operation]: model } }))}
        onModelFocus={() => {
          if (setup?.unloaded.includes(operation)) post('loadModels', { operation });
        }}
        onOption={(name, text) =>
          onChange((now) => ({ options: { ...now.options, [tab]: { ...now.options[tab], [name]: text } } }))
        }
      />
      {switchesFor(tab, composition.attachments).map((id) => (
        <label key={id} class="switch">
          <input
            type="checkbox"
            role="switch"
            checked={operation === id}
            aria-checked={operation === id}
            onChange={(event) => {
              const isOn = event.currentTarget.checked;
              onChange(({ switched }) => ({
                switched: [...switched.filter((other) => other !== id), ...(isOn ? [id] : [])],
              }));
            }}
          />
          <span>{buttonName(id)}</span>
        </label>
      ))}
    </div>
  );
}
