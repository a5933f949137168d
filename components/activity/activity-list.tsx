"use client";
export function ActivityList({ teamId }: { teamId: number }) {
  return <p>{teamId}</p>;
}
