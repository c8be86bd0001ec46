import { useEffect, useRef, useState } from 'preact/hooks';
import { Composer } from './composer/Composer.tsx';
import { useDraft } from './composer/useDraft.ts';
import { Feed } from './feed/Feed.tsx';
import { usePages } from './feed/usePages.ts';
import { keep, kept, listen, post } from './host.ts';
import { LibraryPage } from './library/LibraryPage.tsx';
import { Announcer } from './parts/Announcer.tsx';
import type { LibraryPart, Parts, Start } from './protocol/messages.ts';
import { useItemActions } from './useItemActions.ts';

/** In pixels; two columns fit into a side bar of the default width. */
const minTileWidth = 120;

/** How many results are saved when the view is hidden, to draw it at once when it is shown again. */
const maxKept = 24;

/** Returns the library as it was when the view was hidden, to be shown until the host sends the current one. */
function keptLibrary(): Parts {
  const library = kept()?.library;
  return library ? { library } : {};
}

/** Marks a saved library with revision 0, which the host never uses. */
function asKept(library: LibraryPart): LibraryPart {
  return { ...library, revision: 0, first: library.first.slice(0, maxKept) };
}

/** The whole view, rendered from the latest parts that the host sent and the draft. */
export function App({ start }: { readonly start: Start }) {
  const [draft, edit] = useDraft(start);
  const [parts, setParts] = useState<Parts>(() => ({ ...keptLibrary(), ...start.parts }));
  const [requested, setRequested] = useState(start.selected);
  const scroller = useRef<HTMLDivElement>(null);
  const { library } = parts;
  useEffect(() => {
    if (library && library.revision > 0) keep({ library: asKept(library) }, draft);
  }, [library]);
  useEffect(() => {
    const end = listen((message) => {
      if (message.type === 'parts') setParts((now) => ({ ...now, ...message.parts }));
      else setRequested(message.id);
    });
    post('ready', {});
    return end;
  }, []);
  const toComposer = (): void => {
    scroller.current?.scrollTo(0, 0);
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.prompt')?.focus());
  };
  const { onItem, onUsePrompt } = useItemActions(edit, toComposer);
  const { setup, jobs = [] } = parts;
  const pages = usePages(library);
  const composer = <Composer draft={draft} setup={setup} edit={edit} />;
  const announcer = <Announcer jobs={jobs} library={library} />;
  const feed = { library, pages, jobs, scroller, onItem, onUsePrompt };
  if (start.place === 'tab') {
    return (
      <LibraryPage {...feed} requested={requested} composer={composer}>
        {announcer}
      </LibraryPage>
    );
  }
  return (
    <div
      class="scroller"
      data-place="view"
      ref={scroller}
      onScroll={({ currentTarget }) => keep({ scroll: currentTarget.scrollTop }, draft)}
    >
      {composer}
      <Feed {...feed} minTileWidth={minTileWidth} onDrawn={() => scroller.current?.scrollTo(0, kept()?.scroll ?? 0)} />
      {announcer}
    </div>
  );
}
