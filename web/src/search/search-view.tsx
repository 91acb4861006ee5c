/** Searches messages, deliveries by id, and lanes by name. The query is part of the address. */
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { DeliveryResults } from "./delivery-results.tsx";
import { LaneResults } from "./lane-results.tsx";
import { MessageResults } from "./message-results.tsx";

const searchRoute = getRouteApi("/search");

/** How long typing must pause before the daemon is queried. */
const pauseMs = 250;
/** The daemon's limit. */
const maxCharacters = 500;

export function SearchView() {
  const { q = "" } = searchRoute.useSearch();
  const query = q.trim();
  return (
    <div className="min-h-0 grow overflow-y-auto">
      <div className="mx-auto flex max-w-4xl flex-col gap-5 px-4 py-4">
        <div>
          <h1 className="sr-only">Search</h1>
          <SearchField query={q} />
        </div>
        {query === "" ? (
          <EmptySearch />
        ) : (
          <>
            <LaneResults query={query} />
            <DeliveryResults query={query} />
            <MessageResults query={query} />
          </>
        )}
      </div>
    </div>
  );
}

function SearchField({ query }: { query: string }) {
  const navigate = searchRoute.useNavigate();
  const [typed, setTyped] = useState(query);
  const written = useRef(query);
  const field = useRef<HTMLInputElement>(null);
  // The address changed through a link or the back button.
  if (query !== written.current) {
    written.current = query;
    if (typed !== query) setTyped(query);
  }
  useEffect(() => {
    if (typed === written.current) return;
    const timer = setTimeout(() => {
      written.current = typed;
      void navigate({ search: typed === "" ? {} : { q: typed }, replace: true });
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [typed, navigate]);
  return (
    <div className="flex items-center gap-2 rounded-lg border border-line-strong bg-surface px-3 focus-within:border-accent focus-within:ring-1 focus-within:ring-accent">
      <Icon name="search" className="size-4 text-muted" />
      <input
        ref={field}
        type="search"
        // biome-ignore lint/a11y/noAutofocus: this view is for searching
        autoFocus
        aria-label="Search"
        placeholder="Words, a delivery or message id, or a name"
        maxLength={maxCharacters}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className="h-9 min-w-0 grow bg-transparent text-lg outline-none placeholder:text-base placeholder:text-faint [&::-webkit-search-cancel-button]:appearance-none"
      />
      {typed !== "" && (
        <IconButton
          icon="close"
          label="Clear search"
          className="-mr-2"
          onClick={() => {
            setTyped("");
            field.current?.focus();
          }}
        />
      )}
    </div>
  );
}

function EmptySearch() {
  return (
    <div className="text-muted">
      <p className="mb-1 font-semibold text-ink">What are you looking for?</p>
      <ul className="list-disc pl-5">
        <li>Words that you or an agent wrote. All of them must occur, in any order.</li>
        <li>The last word may be incomplete: "build gre" finds "the build is green".</li>
        <li>The id of a delivery or a message, or the beginning of one.</li>
        <li>A lane with a status or a reason: "demo failed" finds failed deliveries to demo.</li>
        <li>The name of a lane or a member.</li>
      </ul>
    </div>
  );
}
