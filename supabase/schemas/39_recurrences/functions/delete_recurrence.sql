-- Why: ends the schedule; the template is a normal story of the backlog again. Its copies stay. Refusals: 404, 403.
-- Definer: recurrences are written by functions only.
create function operations.delete_recurrence(p_story_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.require_write('story', p_story_id);
  delete from public.recurrences r where r.story_id = p_story_id;
  if not found then
    perform private.refuse(404, 'This story does not recur.');
  end if;
  perform set_config('backloom.undoing', 'yes', true);
  update public.stories s set is_template = false, in_triage = false where s.id = p_story_id;
  perform set_config('backloom.undoing', '', true);
  return json_build_object('story_id', p_story_id);
end;
$$;

comment on function operations.delete_recurrence is 'Stops a story from recurring.';
grant execute on function operations.delete_recurrence to authenticated;
