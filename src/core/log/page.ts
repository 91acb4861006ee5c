/** A part of a long list, newest first, and where the next part begins. */

export type Paging = { limit: number; cursor?: string | undefined };

/** `next` is the cursor of the page that follows, or null on the last one. Cursors are opaque to whoever gets them. */
export type Page<T> = { items: readonly T[]; next: string | null };
