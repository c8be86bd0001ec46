import * as l10n from '@vscode/l10n';
import { useId, useState } from 'preact/hooks';
import { Icon } from '../parts/Icon.tsx';
import type { Filter, LibraryPart } from '../protocol/messages.ts';
import { noFilter } from './usePages.ts';

interface FilterLineProps {
  readonly filter: Filter;
  readonly library: LibraryPart | undefined;
  onFilter(filter: Filter): void;
}

/** Filters the results by words and kind; a button reveals model and sandbox. */
export function FilterLine({ filter, library, onFilter }: FilterLineProps) {
  const [isMore, setMore] = useState(false);
  const moreId = useId();
  const change = (changes: Partial<Filter>): void => {
    const next = { ...filter, ...changes };
    const isAll = next.words === '' && next.kind === null && next.model === null && !next.sandbox;
    onFilter(isAll ? noFilter : next);
  };
  const { kind, model } = filter;
  return (
    <search class="filter">
      <div class="filter-line">
        <span class="filter-words">
          <Icon name="search" />
          <input
            type="search"
            aria-label={l10n.t('Filter')}
            placeholder={l10n.t('Filter')}
            spellcheck={false}
            value={filter.words}
            onInput={({ currentTarget }) => change({ words: currentTarget.value })}
          />
        </span>
        <select
          aria-label={l10n.t('Kind of result')}
          value={kind ?? ''}
          onChange={({ currentTarget }) => change({ kind: kindOf(currentTarget.value) })}
        >
          <option value="">{l10n.t('All')}</option>
          <option value="images">{l10n.t('Images')}</option>
          <option value="speech">{l10n.t('Speech')}</option>
          <option value="transcripts">{l10n.t('Transcripts')}</option>
          <option value="videos">{l10n.t('Videos')}</option>
        </select>
        <button
          type="button"
          class="tool"
          title={l10n.t('More Filters')}
          aria-label={l10n.t('More Filters')}
          aria-expanded={isMore}
          aria-controls={isMore ? moreId : undefined}
          onClick={() => setMore(!isMore)}
        >
          <Icon name="filter" />
        </button>
      </div>
      {isMore && (
        <div id={moreId} class="filter-line">
          <select
            aria-label={l10n.t('Model of the result')}
            value={model ?? ''}
            onChange={({ currentTarget: { value } }) => change({ model: value === '' ? null : value })}
          >
            <option value="">{l10n.t('All models')}</option>
            {library?.models.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
          <label class="switch">
            <input
              type="checkbox"
              checked={filter.sandbox}
              onChange={({ currentTarget }) => change({ sandbox: currentTarget.checked })}
            />
            <span>{l10n.t('Made by the sandbox')}</span>
          </label>
        </div>
      )}
    </search>
  );
}

function kindOf(value: string): Filter['kind'] {
  switch (value) {
    case 'images':
    case 'speech':
    case 'transcripts':
    case 'videos':
      return value;
    default:
      return null;
  }
}
