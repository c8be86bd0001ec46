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

/** In pixels: two columns fit into the usual side bar. */
const minTileWidth = 120;

/** So many results are drawn at once when the view is shown again. */
const maxKept = 24;

/** What was in the library when the view was hidden, until the host says what is. */
function keptLibrary(): Parts {
  const library = kept()?.library;
  return library ? { library } : {};
}

/** No revision of the host's is 0. */
function asKept(library: LibraryPart): LibraryPart {
  return { ...library, revision: 0, first: library.first.slice(0, maxKept) };
}

/** The whole view, drawn from the last parts that the host sent and what was typed since. */
export function App({ start }: { readonly start: Start }) {
  const [draft, edit] = useDraft(start);
  const [parts, setParts] = useState<Parts>(() => ({ ...keptLibrary(), ...start.parts }));
  const [wanted, setWanted] = useState(start.selected);
  const scroller = useRef<HTMLDivElement>(null);
  const { library } = parts;
  useEffect(() => {
    if (library && library.revision > 0) keep({ library: asKept(library) }, draft);
  }, [library]);
  useEffect(() => {
    const end = listen((message) => {
      if (message.type === 'parts') setParts((now) => ({ ...now, ...message.parts }));
      else setWanted(message.id);
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
      <LibraryPage {...feed} wanted={wanted} composer={composer}>
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
