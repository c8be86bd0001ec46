/** The subset of JSON Schema that the tools use; `readInput` checks all of it. */
export type ValueSchema =
  | {
      readonly type: 'string';
      readonly description: string;
      readonly minLength?: number;
      readonly maxLength: number;
      readonly enum?: readonly string[];
      readonly default?: string;
    }
  | {
      readonly type: 'integer';
      readonly description: string;
      readonly minimum: number;
      readonly maximum: number;
      readonly default?: number;
    }
  | { readonly type: 'boolean'; readonly description: string; readonly default?: boolean }
  | {
      readonly type: 'array';
      readonly description: string;
      readonly items: { readonly type: 'string'; readonly minLength: number; readonly maxLength: number };
      readonly minItems: number;
      readonly maxItems: number;
    };

export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, ValueSchema>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}
