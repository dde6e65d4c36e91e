-- Why: an agent that does not know the existing items creates them again. An open sibling with the same title is
-- refused with its code; allow_duplicate skips this check. The caller holds the product lock, so concurrent creations
-- run one after another.
-- `p_kind` is the kind to create, `p_parent_id` its parent: the product of a PBI or idea, the PBI of a story, the story
-- of a task.
create function private.refuse_similar(p_kind text, p_parent_id uuid, p_title text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_title text := private.normalised_title(p_title);
  v_found json;
  v_code text;
begin
  select json_build_object('kind', p_kind, 'id', x.id, 'code', x.code, 'title', x.title), x.code into v_found, v_code
  from (
    select p.id, p.code, p.title from public.pbis p
    where p_kind = 'pbi' and p.product_id = p_parent_id and p.status <> 'DONE'
    union all
    select s.id, s.code, s.title from public.stories s
    where p_kind = 'story' and s.pbi_id = p_parent_id and s.status <> 'DONE'
    union all
    select t.id, t.code, t.title from public.tasks t
    where p_kind = 'task' and t.story_id = p_parent_id and t.status <> 'DONE'
    union all
    select i.id, i.code, i.title from public.ideas i
    where p_kind = 'idea' and i.product_id = p_parent_id and i.user_id = auth.uid()
      and i.archived_at is null and i.status <> 'PLANNED'
  ) x
  where private.normalised_title(x.title) = v_title
  limit 1;
  if v_found is not null then
    raise exception using errcode = 'PT409',
      message = format('%s has this title and is not done. Work with that one, or send allow_duplicate: true for another.', v_code),
      detail = json_build_object('similar_exists', v_found)::text;
  end if;
end;
$$;

comment on function private.refuse_similar is 'Refuses what an open sibling with the same title is already: PT409 with its code.';
grant execute on function private.refuse_similar to authenticated;

-- A title for comparison: without case, extra spaces and punctuation at its ends.
create function private.normalised_title(p_title text)
returns text
language sql
immutable
set search_path = ''
as $$
  select btrim(regexp_replace(lower(normalize(p_title, nfkc)), '\s+', ' ', 'g'), ' .,;:!?-');
$$;

comment on function private.normalised_title is 'A title without case, spacing and marks at its ends.';
grant execute on function private.normalised_title to authenticated;
