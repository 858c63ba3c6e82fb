import { ErrorBox, LinkButton, Loading } from '../../shared';
import { revealed } from '../../shared/invisible';
import { isRow } from '../skill/answer';
import { Asking } from '../skill/Region';
import { useReads } from '../skill/useReads';
import { useMail } from './context';
import type { Attachment, Message } from './messages';

/** Whether the sender calls it a picture that can be shown; its bytes decide. */
export const isPicture = ({ type }: Attachment) => /^image\/(png|jpeg|jpg|gif|webp)$/.test(type);

/** An attached picture. `at`: its index in the message. */
export function AttachedPicture({ message, at, name }: { message: Message; at: number; name: string }) {
  const { nameOf } = useMail();
  const asked = { tool: nameOf('show_attachment'), args: { id: message.id, at } };
  const reads = useReads([asked], 'asked');
  const { result = null, run = null, error = null } = reads.of(asked) ?? {};
  const picture = isRow(result?.value) ? result.value['picture'] : null;
  if (error) return <ErrorBox error={error} actions={<LinkButton onClick={() => reads.reread(asked)}>Try again</LinkButton>} />;
  return (
    <>
      {run !== null && <Asking run={run} />}
      {typeof picture === 'string' && picture.startsWith('data:image/') ? (
        <img src={picture} alt={revealed(name)} data-testid="mail-picture" className="max-h-120 max-w-full rounded-badge border border-line object-contain" />
      ) : (
        <Loading lines={3} label="Reading the picture" />
      )}
    </>
  );
}
