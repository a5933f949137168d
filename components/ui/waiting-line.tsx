/** A thin line below the header that moves while something takes longer than 150 ms. It takes no room. */
export function WaitingLine({ isWaiting }: { isWaiting: boolean }) {
  return (
    <div aria-hidden className="pointer-events-none sticky top-12 z-20 h-0 wide:top-14">
      {isWaiting && (
        <div className="fade-in-late absolute inset-x-0 h-0.5 overflow-hidden">
          <div className="h-full w-2/5 animate-wait bg-spark" />
        </div>
      )}
    </div>
  );
}
