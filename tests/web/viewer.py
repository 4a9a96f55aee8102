"""The viewer's page, its model and its pixels against the tool.  See viewer.sh.  usage: viewer.py FOLDER [firefox]"""
import sys
import page, drawing, interaction, inputs # each tests when it is imported, in this order

page.browser.close()
sys.exit(bool(page.failed))
