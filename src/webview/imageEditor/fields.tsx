interface NumberFieldProps {
  readonly label: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
  onValue(value: number): void;
}

/** A whole number. It counts when the person leaves the field or presses Enter: half a number is none. */
export function NumberField({ label, value, least, most, onValue }: NumberFieldProps) {
  return (
    <label class="field">
      {label}
      <input
        type="number"
        min={least}
        max={most}
        step={1}
        value={value}
        onChange={({ currentTarget }) => {
          const typed = currentTarget.valueAsNumber;
          if (Number.isFinite(typed)) onValue(typed);
          else currentTarget.value = String(value);
        }}
      />
    </label>
  );
}

interface ChoiceProps<Id extends string> {
  readonly label: string;
  readonly value: Id;
  readonly options: readonly (readonly [Id, string])[];
  onChoose(id: Id): void;
}

export function Choice<Id extends string>({ label, value, options, onChoose }: ChoiceProps<Id>) {
  return (
    <label class="field">
      {label}
      <select
        value={value}
        onChange={({ currentTarget }) => {
          const chosen = options.find(([id]) => id === currentTarget.value);
          if (chosen) onChoose(chosen[0]);
        }}
      >
        {options.map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
