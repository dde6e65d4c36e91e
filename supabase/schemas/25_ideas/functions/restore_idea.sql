-- Called by the ideas pages: clears the archive flag.
create function operations.restore_idea(p_idea_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_idea_write(p_idea_id);
  update public.ideas i set archived_at = null where i.id = p_idea_id and i.archived_at is not null;
  return (select row_to_json(i) from private.idea_shape i where i.id = p_idea_id);
end;
$$;

comment on function operations.restore_idea is 'Restores an archived idea (specification: Idea).';
grant execute on function operations.restore_idea to authenticated;
