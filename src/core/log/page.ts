/** A page of a long list, newest first, and the cursor of the next page. */

export type Paging = { limit: number; cursor?: string | undefined };

/** `next` is the cursor of the next page, or null on the last one. Cursors are opaque to clients. */
export type Page<T> = { items: readonly T[]; next: string | null };
