/**
 * Reads again what has changed. The library does not restart a first read in progress, which may have missed what has
 * just happened: when it is over, it is done once more.
 */
import type { Query, QueryClient, QueryKey } from "@tanstack/react-query";

type Selection = { queryKey: QueryKey; predicate?: (query: Query) => boolean };

export async function readAgain(queries: QueryClient, { queryKey, predicate = () => true }: Selection): Promise<void> {
  const isFirst = (query: Query) => query.state.data === undefined && predicate(query);
  const isUnderWay = queries.isFetching({ queryKey, predicate: isFirst }) > 0;
  await queries.invalidateQueries({ queryKey, predicate });
  if (isUnderWay) await queries.invalidateQueries({ queryKey, predicate });
}
