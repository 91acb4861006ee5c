import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { readAgain } from "./read-again.ts";

test("what happens during the first read is not missed", async () => {
  const queries = new QueryClient();
  let value = "before";
  let isRead = (): void => {};
  const reading = new Promise<void>((resolve) => {
    isRead = resolve;
  });
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const queryFn = async () => {
    const read = value;
    isRead();
    await answered;
    return read;
  };
  const observer = new QueryObserver(queries, { queryKey: ["asks"], queryFn, retry: false });
  const unsubscribe = observer.subscribe(() => {});
  await reading;
  value = "after";
  const again = readAgain(queries, { queryKey: ["asks"] });
  answer();
  await again;
  expect(observer.getCurrentResult().data).toBe("after");
  unsubscribe();
});
