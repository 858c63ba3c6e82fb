import { Chip, skillIcon } from '../shared';
import { revealed } from '../shared/invisible';
import { Revealed } from '../shared/Revealed';
import { skillName, type Draft } from '../state/app';
import { bytesIn, sizeOf, sizeText } from '../state/attachments';
import { useApp } from '../state/hooks';

/** The skills, tool and files of a draft. */
export function DraftChips({ draft, onChange }: { draft: Draft; onChange: (part: Partial<Draft>) => void }) {
  const { tool, skills, files, images } = draft;
  if (tool === null && skills.length === 0 && files.length === 0 && images.length === 0) return null;
  return (
    <ul aria-label="Attached" data-testid="draft-chips" className="flex flex-wrap gap-1.5 px-3.5 pt-2.5">
      {tool !== null && (
        <li className="contents">
          <Chip tone="tool" icon={skillIcon(tool.slice(0, tool.indexOf('.')))} onRemove={() => onChange({ tool: null })} removeLabel={`Remove ${revealed(tool)}`}>
            <Revealed text={tool} />
          </Chip>
        </li>
      )}
      {skills.map((skill) => (
        <li key={skill} className="contents">
          <SkillDraftChip skill={skill} onRemove={() => onChange({ skills: skills.filter((other) => other !== skill) })} />
        </li>
      ))}
      {files.map(({ name, text, from, uri }, at) => (
        <li key={at} className="contents">
          <Chip tone="note" icon={from === undefined ? 'clip' : 'plug'} onRemove={() => onChange({ files: files.filter((_, other) => other !== at) })} removeLabel={`Remove ${revealed(name)}`}>
            <span data-testid="draft-file">
              <Revealed text={name} />
            </span>{' '}
            <span className="text-fg-3">
              {uri === undefined && sizeText(sizeOf(text))}
              {from !== undefined && ` from ${revealed(from.split('.')[0] ?? '')}`}
            </span>
          </Chip>
        </li>
      ))}
      {images.map((image, at) => (
        <li key={at} className="contents">
          <Chip
            tone="note"
            picture={`data:${image.media_type ?? ''};base64,${image.data}`}
            onRemove={() => onChange({ images: images.filter((_, other) => other !== at) })}
            removeLabel={`Remove ${revealed(image.name)}`}
          >
            <span data-testid="draft-image">
              <Revealed text={image.name} />
            </span> <span className="text-fg-3">{sizeText(bytesIn(image.data))}</span>
          </Chip>
        </li>
      ))}
    </ul>
  );
}

function SkillDraftChip({ skill, onRemove }: { skill: string; onRemove: () => void }) {
  const name = useApp((app) => skillName(app, skill));
  return (
    <Chip tone="skill" icon={skillIcon(skill)} onRemove={onRemove} removeLabel={`Remove ${name}`}>
      {name}
    </Chip>
  );
}

/** The draft without its last chip. */
export function withoutLastChip({ tool, skills, files, images }: Draft): Partial<Draft> | null {
  if (images.length > 0) return { images: images.slice(0, -1) };
  if (files.length > 0) return { files: files.slice(0, -1) };
  if (skills.length > 0) return { skills: skills.slice(0, -1) };
  return tool === null ? null : { tool: null };
}
