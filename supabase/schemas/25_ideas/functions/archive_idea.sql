-- Called by the ideas pages: sets a flag and keeps the status. Idempotent.
create function operations.archive_idea(p_idea_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_idea_write(p_idea_id);
  update public.ideas i set archived_at = private.now() where i.id = p_idea_id and i.archived_at is null;
  return (select row_to_json(i) from private.idea_shape i where i.id = p_idea_id);
end;
$$;

comment on function operations.archive_idea is 'Archives an idea (specification: Idea).';
grant execute on function operations.archive_idea to authenticated;
