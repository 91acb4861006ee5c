/** Messages and answers that contain the words, newest first. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { recipientName } from "waybill/client";
import { handOverSign, isAwaited, signOf } from "../conversation/delivery-sign.ts";
import { SignMark } from "../conversation/message-block.tsx";
import { client } from "../live/client.ts";
import { conversationsOf, placeOf } from "../live/conversation-id.ts";
import { lanesQuery } from "../live/queries.ts";
import { ErrorNote } from "../ui/note.tsx";
import { exactText, proseText } from "../ui/safe-text.ts";
import { RelativeTime } from "../ui/time.tsx";
import type { FoundMessage } from "./found-messages.ts";
import { foundMessages, partiesOf } from "./found-messages.ts";
import type { SearchedWords } from "./marks.ts";
import { excerptOf, markedParts, searchedWords } from "./marks.ts";
import { MoreButton, ResultSection, resultList } from "./result-section.tsx";

const pageSize = 25;
const excerptCharacters = 280;

export function MessageResults({ query }: { query: string }) {
  const words = searchedWords(query);
  const { data: lanes } = useQuery(lanesQuery);
  const names = new Map(lanes?.map(({ id, displayName }) => [id, displayName ?? id]));
  const nameOf = (lane: string) => names.get(lane) ?? lane;
  const results = useInfiniteQuery({
    queryKey: ["search", "messages", query],
    queryFn: ({ pageParam, signal }) =>
      client.messages({ q: query, deliveries: true, limit: pageSize, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    enabled: words !== null,
    staleTime: 0,
  });
  if (words === null) return <p className="text-muted">Type at least one letter or digit.</p>;
  const { data, error, isPending } = results;
  if (error) return <ErrorNote error={error} />;
  const found = foundMessages(data?.pages ?? []);
  return (
    <ResultSection title="Messages and answers">
      <p role="status" className={found.length > 0 ? "sr-only" : "text-muted"}>
        {isPending ? "Searching…" : found.length > 0 ? `${found.length} found` : noResultWords}
      </p>
      {found.length > 0 && (
        <ul className={resultList}>
          {found.map((one) => (
            <li key={`${one.message.id} ${one.message.lane} ${recipientName(one.message.to)}`}>
              <MessageRow found={one} words={words} nameOf={nameOf} />
            </li>
          ))}
        </ul>
      )}
      <MoreButton results={results} />
    </ResultSection>
  );
}

const noResultWords = "No message contains all of these words. Try fewer words, or only the beginning of the last one.";

type MessageRowProps = { found: FoundMessage; words: SearchedWords; nameOf: (lane: string) => string };

function MessageRow({ found: { message, delivery, deliveryId }, words, nameOf }: MessageRowProps) {
  const sign = delivery ? signOf({ delivery, isAcknowledged: false }) : handOverSign(message);
  const { from, rest } = partiesOf(message, nameOf);
  const [conversation] = conversationsOf(message);
  const text = (
    <p className="wrap-anywhere" dir="auto">
      <Marked text={excerptOf(proseText(message.text), words, excerptCharacters)} words={words} />
    </p>
  );
  return (
    <article aria-label={`Found in a message from ${from}`} className="relative px-3 py-2 hover:bg-hover">
      <header className="flex flex-wrap items-baseline gap-x-2 text-sm text-faint">
        <span className="font-semibold text-ink">{exactText(from)}</span>
        <span>{exactText(rest)}</span>
        <RelativeTime at={message.createdAt} className="ml-auto" />
      </header>
      {conversation === undefined ? (
        text
      ) : (
        <Link
          {...placeOf(conversation)}
          search={{ message: message.id }}
          className="block before:absolute before:inset-0"
        >
          {text}
        </Link>
      )}
      {(sign || deliveryId !== null) && (
        <p className="relative flex w-fit items-center gap-2 text-sm">
          {sign && <SignMark sign={sign} isAwaited={delivery !== null && isAwaited(delivery)} />}
          {deliveryId !== null && (
            <Link to="/deliveries/$id" params={{ id: deliveryId }} className="text-muted underline hover:text-ink">
              Delivery
            </Link>
          )}
        </p>
      )}
    </article>
  );
}

function Marked({ text, words }: { text: string; words: SearchedWords }) {
  return markedParts(text, words).map(({ text: part, isMatch }, index) =>
    isMatch ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text keep their places
      <mark key={index} className="rounded-sm bg-wait-soft text-wait">
        {part}
      </mark>
    ) : (
      part
    ),
  );
}
