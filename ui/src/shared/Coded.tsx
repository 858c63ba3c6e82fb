import { Revealed } from './Revealed';

/** A sentence with code between backticks. */
export function Coded({ text }: { text: string }) {
  return text.split(/`([^`]+)`/).map((part, at) =>
    at % 2 === 0 ? (
      <Revealed key={at} text={part} />
    ) : (
      <code key={at} className="font-mono text-fg">
        <Revealed text={part} />
      </code>
    ),
  );
}
